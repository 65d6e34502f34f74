package notebook

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/go-zeromq/zmq4"
)

// message is a message of the Jupyter protocol, as far as this package needs it.
type message struct {
	kind    string
	parent  string // id of the request that it answers
	content json.RawMessage
}

type header struct {
	ID       string `json:"msg_id"`
	Kind     string `json:"msg_type"`
	Session  string `json:"session"`
	Username string `json:"username"`
	Date     string `json:"date"`
	Version  string `json:"version"`
}

// delimiter is followed by the signature, which is empty, as nobody else can reach the sockets; the header; that of the
// request; metadata; and the content.
const delimiter = "<IDS|MSG>"

// encode returns the frames of a request and its id.
func encode(session, kind string, content any) (id string, m zmq4.Msg, err error) {
	h := header{
		ID: token(16), Kind: kind, Session: session, Username: "contextmover",
		Date: time.Now().UTC().Format(time.RFC3339Nano), Version: "5.3",
	}
	parts := [][]byte{nil, []byte("{}"), []byte("{}"), nil} // header, parent, metadata, content
	if parts[0], err = json.Marshal(h); err != nil {
		return "", m, err
	}
	if parts[3], err = json.Marshal(content); err != nil {
		return "", m, err
	}
	return h.ID, zmq4.NewMsgFrom(append([][]byte{[]byte(delimiter), nil}, parts...)...), nil
}

// decode reads a message.
func decode(m zmq4.Msg) (*message, error) {
	frames := m.Frames
	for len(frames) > 0 && string(frames[0]) != delimiter {
		frames = frames[1:]
	}
	if len(frames) < 6 {
		return nil, fmt.Errorf("a message of %d frames, expected at least 6 from %s on", len(frames), delimiter)
	}
	var h, parent header
	if err := json.Unmarshal(frames[2], &h); err != nil {
		return nil, fmt.Errorf("a message's header: %w", err)
	}
	if err := json.Unmarshal(frames[3], &parent); err != nil {
		return nil, fmt.Errorf("a message's parent header: %w", err)
	}
	return &message{kind: h.Kind, parent: parent.ID, content: frames[5]}, nil
}

// token returns a random name of n bytes in hexadecimal digits.
func token(n int) string {
	b := make([]byte, n)
	rand.Read(b) // never fails
	return hex.EncodeToString(b)
}
