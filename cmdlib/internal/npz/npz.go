// Package npz keeps arrays, and other files, as the members of one zip file that numpy.load opens. Members are stored
// without compression and begin at multiples of 64 bytes, so that arrays are used where they lie in a mapped file.
// Damage is detected by zip's own checksums, CRC-32.
package npz

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"contextmover/cmdlib/npy"
	"contextmover/internal/atomicfile"
	"contextmover/internal/jsonerror"
	"contextmover/internal/scratch"
)

// alignment is that of members, and so of the elements of arrays, whose headers are multiples of it.
const alignment = 64

// ErrDamaged is returned when a file, or a member, is not as it was written.
var ErrDamaged = errors.New("damaged")

// Writer writes the members of a file, one behind the other.
type Writer struct {
	zip *zip.Writer
	at  countingWriter
}

// countingWriter counts what is written.
type countingWriter struct {
	to    io.Writer
	bytes int64
}

func (c *countingWriter) Write(p []byte) (int, error) {
	n, err := c.to.Write(p)
	c.bytes += int64(n)
	return n, err
}

// Write writes the file at path, whose members fill adds. It appears whole or not at all, in place of one that is
// there.
func Write(path string, fill func(w *Writer) error) error {
	return atomicfile.Write(path, func(to *bufio.Writer) error {
		w := &Writer{at: countingWriter{to: to}}
		w.zip = zip.NewWriter(&w.at)
		if err := fill(w); err != nil {
			return err
		}
		return w.zip.Close()
	})
}

// Add adds a member of which content writes so many bytes. It is called twice, as the checksum precedes the content,
// and must write the same.
func (w *Writer) Add(name string, size int64, content func(to io.Writer) error) error {
	sum := crc32.NewIEEE()
	if err := content(sum); err != nil {
		return err
	}
	if err := w.zip.Flush(); err != nil {
		return err
	}
	// The content is behind a header of 30 bytes, the name and this field, which programs for zip pass over.
	const header, field, android = 30, 4, 0xd935 // the number that Android has registered for aligning
	padding := alignment - 1 - int(w.at.bytes+int64(header+len(name)+field)-1)%alignment
	extra := append([]byte{android & 0xff, android >> 8, byte(padding), 0}, make([]byte, padding)...)
	to, err := w.zip.CreateRaw(&zip.FileHeader{
		Name: name, Method: zip.Store, CRC32: sum.Sum32(), Extra: extra,
		CompressedSize64: uint64(size), UncompressedSize64: uint64(size),
		//lint:ignore SA1019 CreateRaw does not look at Modified
		ModifiedDate: 1<<5 | 1, // 1 January 1980, the first day that zip has
	})
	if err != nil {
		return err
	}
	return content(to)
}

// AddBytes adds a member.
func (w *Writer) AddBytes(name string, content []byte) error {
	return w.Add(name, int64(len(content)), func(to io.Writer) error {
		_, err := to.Write(content)
		return err
	})
}

// AddJSON adds a value as a member.
func (w *Writer) AddJSON(name string, value any) error {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	return w.AddBytes(name, append(text, '\n'))
}

// AddArray adds an array of the given shape as a member, whose name ends in .npy. It panics where npy.Write does.
func AddArray[T npy.Element](w *Writer, name string, shape []int, data []T) error {
	size := int64(len(npy.Header[T](shape...)) + binary.Size(data))
	return w.Add(name, size, func(to io.Writer) error {
		buffered := bufio.NewWriterSize(to, 1<<16)
		if err := npy.Encode(buffered, shape, data); err != nil {
			return err
		}
		return buffered.Flush()
	})
}

// File is an opened file. It may be used from several goroutines at once.
type File struct {
	name    string
	release func() error
	members map[string]*member
	names   []string
	sum     string
}

// member is a member's content, which has been compared with its checksum where err is called.
type member struct {
	content []byte
	err     func() error
}

// Open opens the file at path, which it maps into memory. It is an error that is ErrDamaged if the file is no zip
// file, or one whose members are compressed or stand twice.
func Open(path string) (*File, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, fmt.Errorf("%s is %w: a folder", path, ErrDamaged)
	}
	content, release, err := scratch.File[byte](file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	f, err := Read(content, path)
	if err != nil {
		return nil, errors.Join(err, release())
	}
	f.release = release
	return f, nil
}

// Read is Open of a file in memory, which errors call by this name. It must not change.
func Read(content []byte, name string) (*File, error) {
	z, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", name, ErrDamaged, err)
	}
	f := &File{name: name, members: make(map[string]*member)}
	sum := sha256.New()
	for _, entry := range z.File {
		at, err := entry.DataOffset()
		size := entry.UncompressedSize64
		switch {
		case err != nil:
			return nil, f.damaged(entry.Name, err.Error())
		case entry.Method != zip.Store || entry.CompressedSize64 != size:
			return nil, f.damaged(entry.Name, "it is compressed, expected a member that is only stored")
		case at < 0 || at > int64(len(content)) || size > uint64(int64(len(content))-at):
			return nil, f.damaged(entry.Name, "it ends behind the end of the file")
		case f.members[entry.Name] != nil:
			return nil, f.damaged(entry.Name, "it is there twice")
		}
		m := &member{content: content[at : at+int64(size) : at+int64(size)]}
		m.err = sync.OnceValue(func() error {
			if sum := crc32.ChecksumIEEE(m.content); sum != entry.CRC32 {
				return f.damaged(entry.Name, fmt.Sprintf("its checksum is %08x, expected %08x", sum, entry.CRC32))
			}
			return nil
		})
		f.members[entry.Name], f.names = m, append(f.names, entry.Name)
		fmt.Fprintf(sum, "%q %d %08x\n", entry.Name, size, entry.CRC32)
	}
	f.sum = hex.EncodeToString(sum.Sum(nil))
	return f, nil
}

func (f *File) damaged(name, why string) error {
	return fmt.Errorf("%s: %s is %w: %s", f.name, name, ErrDamaged, why)
}

// Names returns the names of the members, in their order.
func (f *File) Names() []string { return f.names }

// Has reports whether there is a member of this name.
func (f *File) Has(name string) bool { return f.members[name] != nil }

// Mapped returns the content of a member, which is not compared with its checksum: Verify does that. It must not be
// changed, and is valid until Close. A member that is not there is ErrDamaged.
func (f *File) Mapped(name string) ([]byte, error) {
	m := f.members[name]
	if m == nil {
		return nil, fmt.Errorf("%s: %w: it has no %s, only %s", f.name, ErrDamaged, name, strings.Join(f.names, ", "))
	}
	return m.content, nil
}

// Bytes is Mapped of a member that is compared with its checksum, once.
func (f *File) Bytes(name string) ([]byte, error) {
	content, err := f.Mapped(name)
	if err == nil {
		err = f.members[name].err()
	}
	return content, err
}

// JSON sets value to what AddJSON has added. The error is that of Bytes, or says what is wrong with the value.
func (f *File) JSON(name string, value any) error {
	text, err := f.Bytes(name)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, value); err != nil {
		return fmt.Errorf("%s: %w", name, jsonerror.Explain(err))
	}
	return nil
}

// mostVerified is the number of bytes up to which Array compares an array with its checksum: some milliseconds.
const mostVerified = 16 << 20

// Array returns the elements of a member that is an array of this shape, where they lie in the file if that is mapped.
// Arrays of up to 16 MiB are compared with their checksum, larger ones only by Verify. Another element type or shape
// is ErrDamaged, and so is a member that is not there.
func Array[T npy.Element](f *File, name string, shape ...int) ([]T, error) {
	content, err := f.Mapped(name)
	if err == nil && len(content) <= mostVerified {
		err = f.members[name].err()
	}
	if err != nil {
		return nil, err
	}
	got, data, err := npy.View[T](content)
	if err != nil {
		return nil, f.damaged(name, err.Error())
	}
	if !slices.Equal(got, shape) {
		return nil, f.damaged(name, fmt.Sprintf("it has the shape %v, expected %v", got, shape))
	}
	return data, nil
}

// Sum returns the SHA-256 of the names, sizes and checksums of all members, as hexadecimal digits. It reads none of
// them.
func (f *File) Sum() string { return f.sum }

// Verify compares all members with their checksums. The error names each that is damaged; it is the context's once
// that has ended.
func (f *File) Verify(ctx context.Context) error {
	var damage []error
	for _, name := range f.names {
		if err := ctx.Err(); err != nil {
			return err
		}
		damage = append(damage, f.members[name].err())
	}
	return errors.Join(damage...)
}

// Close releases the file; what it returned must not be used afterwards. A second Close does nothing.
func (f *File) Close() error {
	release := f.release
	f.members, f.release = nil, nil
	if release == nil {
		return nil
	}
	return release()
}
