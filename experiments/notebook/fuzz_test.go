package notebook

import (
	"testing"

	"github.com/go-zeromq/zmq4"
)

// Whatever a kernel sends is refused, or is an output.
func FuzzMessage(f *testing.F) {
	f.Add("topic", []byte(`{"msg_id":"1","msg_type":"stream"}`), []byte(`{"msg_id":"0"}`), []byte(`{"name":"stdout","text":"a\rb\n"}`))
	f.Add("", []byte(`{"msg_type":"display_data"}`), []byte(`{}`), []byte(`{"data":{"text/html":"<b>"},"metadata":{},"transient":{"display_id":"7"}}`))
	f.Add("", []byte(`{"msg_type":"update_display_data"}`), []byte(`{}`), []byte(`{"data":{"text/plain":["a","b"]},"transient":{"display_id":"7"}}`))
	f.Add("", []byte(`{"msg_type":"execute_result"}`), []byte(`{}`), []byte(`{"data":{"text/plain":"1"},"execution_count":3}`))
	f.Add("", []byte(`{"msg_type":"error"}`), []byte(`{}`), []byte(`{"ename":"e","evalue":"v","traceback":["t"]}`))
	f.Add("", []byte(`{"msg_type":"clear_output"}`), []byte(`{}`), []byte(`{"wait":true}`))
	f.Add("", []byte(`{"msg_type":"status"}`), []byte(`null`), []byte(`null`))
	f.Fuzz(func(t *testing.T, topic string, header, parent, content []byte) {
		parts := [][]byte{header, parent, []byte("{}"), content}
		frames := append([][]byte{[]byte(topic), []byte(delimiter), []byte("any")}, parts...)
		for n := range frames {
			if _, err := decode(zmq4.NewMsgFrom(frames[:n]...)); err == nil && topic != delimiter {
				t.Fatalf("%d of %d frames are taken for a message", n, len(frames))
			}
		}
		m, err := decode(zmq4.NewMsgFrom(frames...))
		if err != nil {
			return
		}
		out := &outputs{cell: &Cell{}, displays: map[string][]*Output{}}
		for range 2 { // the second finds what the first has left
			if out.add(m) != nil {
				break
			}
		}
		for _, o := range out.cell.Outputs {
			o.fields()
		}
		out.cell.dropEmpty()
	})
}
