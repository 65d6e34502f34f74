package notebook

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/go-zeromq/zmq4"
)

// message is a message of the Jupyter protocol, as far as this package needs it.
type message struct {
	id, kind string
	parent   string // id of the request that it answers
	content  json.RawMessage
}

type header struct {
	ID       string `json:"msg_id"`
	Kind     string `json:"msg_type"`
	Session  string `json:"session"`
	Username string `json:"username"`
	Date     string `json:"date"`
	Version  string `json:"version"`
}

// wire signs and reads messages of one connection.
type wire struct {
	key     []byte
	session string
}

const delimiter = "<IDS|MSG>"

func (w wire) sign(frames [][]byte) []byte {
	mac := hmac.New(sha256.New, w.key)
	for _, f := range frames {
		mac.Write(f)
	}
	return hex.AppendEncode(nil, mac.Sum(nil))
}

// encode returns the frames of a request and its id.
func (w wire) encode(kind string, content any) (id string, m zmq4.Msg, err error) {
	h := header{
		ID: token(16), Kind: kind, Session: w.session, Username: "contextmover",
		Date: time.Now().UTC().Format(time.RFC3339Nano), Version: "5.3",
	}
	parts := [][]byte{nil, []byte("{}"), []byte("{}"), nil} // header, parent, metadata, content
	if parts[0], err = json.Marshal(h); err != nil {
		return "", m, err
	}
	if parts[3], err = json.Marshal(content); err != nil {
		return "", m, err
	}
	return h.ID, zmq4.NewMsgFrom(append([][]byte{[]byte(delimiter), w.sign(parts)}, parts...)...), nil
}

// decode reads a message and checks its signature.
func (w wire) decode(m zmq4.Msg) (*message, error) {
	frames := m.Frames
	for len(frames) > 0 && string(frames[0]) != delimiter {
		frames = frames[1:]
	}
	if len(frames) < 6 {
		return nil, fmt.Errorf("a message of %d frames, expected at least 6 from %s on", len(frames), delimiter)
	}
	if !hmac.Equal(frames[1], w.sign(frames[2:6])) {
		return nil, errors.New("a message with a wrong signature")
	}
	var h, parent header
	if err := json.Unmarshal(frames[2], &h); err != nil {
		return nil, fmt.Errorf("a message's header: %w", err)
	}
	if err := json.Unmarshal(frames[3], &parent); err != nil {
		return nil, fmt.Errorf("a message's parent header: %w", err)
	}
	return &message{id: h.ID, kind: h.Kind, parent: parent.ID, content: frames[5]}, nil
}

// token returns a random name of n bytes in hexadecimal digits.
func token(n int) string {
	b := make([]byte, n)
	rand.Read(b) // never fails
	return hex.EncodeToString(b)
}
