package notebook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"contextmover/internal/atomicfile"
	"contextmover/internal/disk"

	"github.com/go-zeromq/zmq4"
)

// Spec says how a kernel is started.
type Spec struct {
	// Argv is the command; {connection_file} in it is replaced by a path.
	Argv []string
	// Env is the whole environment; TMPDIR in it is replaced.
	Env []string
	// Language is that of the notebooks it executes.
	Language string
}

// Times within which a kernel that works does what it should.
const (
	startTime     = 30 * time.Second // from its start to its first answer
	interruptTime = 8 * time.Second  // GoNB kills a cell that ignores an interrupt after 5 s
	dieTime       = 3 * time.Second  // from being killed to being gone
)

// errDied says that the kernel's process has ended.
var errDied = errors.New("the kernel died")

// kernel is a running kernel.
type kernel struct {
	session  string
	dir      string // of everything temporary
	release  func() // removes it
	unleash  func() // ends what would kill the process after this one
	process  *os.Process
	died     chan struct{} // closed when the process has ended
	exit     error         // how, after died
	close    context.CancelFunc
	shell    zmq4.Socket
	control  zmq4.Socket
	received chan received
}

// received is what came in through a socket.
type received struct {
	broadcast bool // from iopub, else from shell or control
	message   *message
	err       error
}

// start starts a kernel in the folder dir and waits until it answers.
func start(ctx context.Context, spec Spec, dir string) (_ *kernel, err error) {
	k := &kernel{session: token(16), died: make(chan struct{}), received: make(chan received, 64)}
	if k.dir, k.release, err = temporary(); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			k.stop()
		}
	}()
	connection, err := json.Marshal(map[string]any{
		// Sockets are files: no port can be taken by somebody else, no network is needed.
		"transport": "ipc", "ip": filepath.Join(k.dir, "s"),
		"shell_port": 1, "iopub_port": 2, "stdin_port": 3, "control_port": 4, "hb_port": 5,
		"key": "", "signature_scheme": "hmac-sha256", "kernel_name": "contextmover",
	})
	if err != nil {
		return nil, err
	}
	// GoNB finds its id in the name.
	file := filepath.Join(k.dir, "kernel-"+k.session+".json")
	if err := disk.WriteFile(file, connection); err != nil { // nobody else can look into the folder
		return nil, err
	}
	if err := k.launch(spec, dir, file); err != nil {
		return nil, err
	}
	// The heartbeat's socket is the last that the kernel opens.
	for late := time.Now().Add(startTime); !exists(k.address(5)) || !exists(k.address(1)); {
		if _, err := k.next(ctx, time.After(2*time.Millisecond)); err != nil {
			return nil, err
		}
		if time.Now().After(late) {
			return nil, fmt.Errorf("the kernel does not listen after %v%s", startTime, k.lastWords())
		}
	}
	if err := k.connect(); err != nil {
		return nil, k.lost(err)
	}
	return k, k.handshake(ctx)
}

// temporary makes a folder whose path is short enough for sockets in it.
func temporary() (dir string, release func(), err error) {
	const socket = 100 // bytes that the path of a socket may have, at least
	if dir, release, err = atomicfile.Temporary("cm", socket-len("/s-1")); err != nil {
		return "", nil, err
	}
	if err := os.Chmod(dir, 0o700); err != nil { // who can reach the sockets can run code
		release()
		return "", nil, err
	}
	return dir, release, nil
}

func (k *kernel) address(port int) string { return fmt.Sprintf("%s/s-%d", k.dir, port) }

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// launch starts the process, which lives no longer than this one (leash).
func (k *kernel) launch(spec Spec, dir, connection string) error {
	temp := filepath.Join(k.dir, "tmp")
	if err := disk.Mkdir(temp); err != nil {
		return err
	}
	// A file and no pipe: GoNB dies of a closed one.
	log, err := disk.Create(filepath.Join(k.dir, "log"))
	if err != nil {
		return err
	}
	defer log.Close()
	argv := slices.Clone(spec.Argv)
	for i := range argv {
		argv[i] = strings.ReplaceAll(argv[i], "{connection_file}", connection)
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, log.Reader(), log.Reader()
	cmd.Env = append(slices.Clone(spec.Env), "TMPDIR="+temp)
	cmd.SysProcAttr = groupAttributes()
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("the kernel does not start: %w", err)
	}
	go func() {
		k.exit = cmd.Wait()
		close(k.died)
	}()
	k.process = cmd.Process
	k.unleash, err = leash(k.process)
	return err
}

// connect opens the sockets and begins to listen.
func (k *kernel) connect() error {
	ctx, cancel := context.WithCancel(context.Background())
	k.close = cancel
	// GoNB answers requests that come through control on shell, so both have one
	// identity.
	quiet := zmq4.WithLogger(log.New(io.Discard, "", 0))
	identity := zmq4.WithID(zmq4.SocketIdentity(k.session))
	k.shell = zmq4.NewDealer(ctx, identity, quiet)
	k.control = zmq4.NewDealer(ctx, identity, quiet)
	iopub := zmq4.NewSub(ctx, quiet)
	for _, end := range []struct {
		port   int
		socket zmq4.Socket
	}{{1, k.shell}, {2, iopub}, {4, k.control}} {
		if err := end.socket.Dial("ipc://" + k.address(end.port)); err != nil {
			return err
		}
	}
	if err := iopub.SetOption(zmq4.OptionSubscribe, ""); err != nil {
		return err
	}
	for _, socket := range []zmq4.Socket{k.shell, k.control, iopub} {
		go k.listen(ctx, socket, socket == iopub)
	}
	return nil
}

func (k *kernel) listen(ctx context.Context, socket zmq4.Socket, broadcast bool) {
	for {
		r := received{broadcast: broadcast}
		m, err := socket.Recv()
		if err == nil {
			r.message, err = decode(m)
		}
		r.err = err
		select {
		case k.received <- r:
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

// next waits for the next message; it is nil where none has come until late.
func (k *kernel) next(ctx context.Context, late <-chan time.Time) (*received, error) {
	select {
	case r := <-k.received:
		if r.err != nil {
			return nil, k.lost(r.err)
		}
		return &r, nil
	case <-late:
		return nil, nil
	case <-k.died:
		return nil, k.death()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// handshake asks who the kernel is until both the answer and the broadcast arrive:
// a broadcast is lost as long as the kernel does not know that somebody listens.
func (k *kernel) handshake(ctx context.Context) error {
	asked, answered := map[string]bool{}, false
	for late := time.Now().Add(startTime); time.Now().Before(late); {
		id, err := k.send(k.shell, "kernel_info_request", struct{}{})
		if err != nil {
			return err
		}
		asked[id] = true
		again := time.After(500 * time.Millisecond)
		for {
			r, err := k.next(ctx, again)
			if err != nil {
				return err
			}
			if r == nil {
				break
			}
			switch {
			case !asked[r.message.parent]:
			case r.message.kind == "kernel_info_reply":
				answered = true
			case r.broadcast && answered && r.message.idle():
				return nil
			}
		}
	}
	return fmt.Errorf("the kernel does not answer after %v%s", startTime, k.lastWords())
}

// idle tells whether the message says that a request has been dealt with.
func (m *message) idle() bool {
	var content struct {
		State string `json:"execution_state"`
	}
	return m.kind == "status" && json.Unmarshal(m.content, &content) == nil && content.State == "idle"
}

func (k *kernel) send(socket zmq4.Socket, kind string, content any) (id string, err error) {
	id, m, err := encode(k.session, kind, content)
	if err == nil {
		err = socket.SendMulti(m)
	}
	return id, err
}

// reply is how an execution went.
type reply struct {
	Status  string `json:"status"`
	Count   int    `json:"execution_count"`
	Error   string `json:"ename"`
	Message string `json:"evalue"`
}

// execute executes code and gives every broadcast about it to hear. An execution that
// takes longer than the timeout (0: none) is interrupted, which is an error, and the
// kernel killed if it goes on nevertheless.
func (k *kernel) execute(
	ctx context.Context, code string, timeout time.Duration, hear func(*message) error,
) (*reply, error) {
	id, err := k.send(k.shell, "execute_request", map[string]any{
		"code": code, "silent": false, "store_history": true, "user_expressions": struct{}{},
		"allow_stdin": false, "stop_on_error": true,
	})
	if err != nil {
		return nil, err
	}
	var late <-chan time.Time
	if timeout > 0 {
		late = time.After(timeout)
	}
	var timedOut error
	var answer *reply
	idle := false
	for answer == nil || !idle {
		r, err := k.next(ctx, late)
		switch {
		case err != nil:
			return nil, err
		case r == nil && timedOut != nil:
			k.kill()
			return nil, fmt.Errorf("%w, and the kernel was killed because it went on after an interrupt", timedOut)
		case r == nil:
			timedOut = fmt.Errorf("not done after %v", timeout)
			if _, err := k.send(k.control, "interrupt_request", struct{}{}); err != nil {
				return nil, errors.Join(timedOut, err)
			}
			late = time.After(interruptTime)
		case r.message.parent != id:
		case !r.broadcast:
			if r.message.kind == "execute_reply" {
				answer = new(reply)
				if err := json.Unmarshal(r.message.content, answer); err != nil {
					return nil, fmt.Errorf("the kernel's reply: %w", err)
				}
			}
		case r.message.idle():
			idle = true
		default:
			if err := hear(r.message); err != nil {
				return nil, err
			}
		}
	}
	if timedOut != nil {
		return answer, fmt.Errorf("%w, and was interrupted", timedOut)
	}
	return answer, nil
}

// lost returns why nothing more comes through a socket: mostly the kernel's death.
func (k *kernel) lost(err error) error {
	select {
	case <-k.died:
		return k.death()
	case <-time.After(time.Second):
		return fmt.Errorf("the connection to the kernel is broken: %w", err)
	}
}

// death describes how the kernel ended.
func (k *kernel) death() error {
	how := ""
	if k.exit != nil {
		how = fmt.Sprintf(" (%v)", k.exit)
	}
	return fmt.Errorf("%w%s%s", errDied, how, k.lastWords())
}

// lastWords returns the end of the kernel's log, as the end of a sentence.
func (k *kernel) lastWords() string {
	text, _ := os.ReadFile(filepath.Join(k.dir, "log"))
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	const few = 3
	if lines = lines[max(0, len(lines)-few):]; lines[0] == "" {
		return ""
	}
	return "; its last words:\n" + strings.Join(lines, "\n")
}

// stop ends the kernel with all it has started, and removes its folder.
func (k *kernel) stop() {
	if k.process != nil {
		k.kill()
		<-k.died
		// What is still dying may yet write into the folder. What nobody waits for, as in a
		// container without an init, never goes.
		for late := time.Now().Add(dieTime); !k.gone() && time.Now().Before(late); time.Sleep(2 * time.Millisecond) {
		}
	}
	if k.close != nil {
		k.close()
		k.shell.Close()
		k.control.Close()
	}
	if k.unleash != nil {
		k.unleash()
	}
	k.release()
}
