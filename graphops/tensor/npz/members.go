package npz

import (
	"archive/zip"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"slices"
	"strings"

	"lathe/graphops/tensor"
)

const (
	// maxDirectory is the maximum number of bytes of an archive that are read to list it, enough
	// for the entries of a quarter of a million arrays.
	maxDirectory = 32 << 20
	// maxReordered is the maximum size in bytes of an array in Fortran order. Such an array is read
	// into memory to reorder its elements.
	maxReordered = 256 << 20
)

// Member is an array of an archive. Its elements are read later.
type Member struct {
	Name  string // in an archive, the file name without ".npy"
	Descr string // numpy's name of the type
	DType tensor.DType
	Shape []int64
	// Offset is the position of the elements in the archive, where they are little endian and
	// row-major. It is -1 if they are compressed or have another form, so that only Copy can
	// provide them. Reading at Offset does not verify the checksum.
	Offset int64
	// Unusable says why the elements cannot be read. It is nil if they can.
	Unusable error

	file   *zip.File
	header header
	kind   kind
	start  int64 // of the elements in the unpacked file
}

// Members lists the arrays of an archive of the given size. Only their headers are read.
func Members(r io.ReaderAt, size int64) ([]Member, error) {
	limited := &limitedReaderAt{r: r, left: maxDirectory}
	archive, err := zip.NewReader(limited, size)
	switch {
	case limited.left < 0:
		return nil, fmt.Errorf("the directory of the archive takes more than %d bytes", maxDirectory)
	case err != nil:
		return nil, fmt.Errorf("%w: it is cut off or damaged; save it again", err)
	}
	limited.listed = true // later reads have other limits
	var out []Member
	var packed []packedRange
	seen := map[string]bool{}
	for _, f := range archive.File {
		m, at, err := readMember(f, size)
		switch {
		case err != nil:
			return nil, fmt.Errorf("entry %q: %w", f.Name, err)
		case seen[m.Name]:
			return nil, fmt.Errorf("array %q occurs twice", m.Name)
		}
		seen[m.Name] = true
		out, packed = append(out, m), append(packed, packedRange{m.Name, at, at + int64(f.CompressedSize64)})
	}
	return out, apart(packed)
}

// limitedReaderAt returns an error if more than maxDirectory bytes are read to list the archive. It
// sets no limit after that.
type limitedReaderAt struct {
	r      io.ReaderAt
	left   int64
	listed bool
}

// ReadAt implements io.ReaderAt.
func (l *limitedReaderAt) ReadAt(p []byte, off int64) (int, error) {
	if l.listed {
		return l.r.ReadAt(p, off)
	}
	if l.left -= int64(len(p)); l.left < 0 {
		return 0, errors.New("more bytes are read than allowed")
	}
	return l.r.ReadAt(p, off)
}

// packedRange is the range of bytes that an entry takes in the archive.
type packedRange struct {
	name       string
	begin, end int64
}

// apart returns an error if entries overlap. A small archive with overlapping entries could unpack
// to a huge one.
func apart(packed []packedRange) error {
	slices.SortFunc(packed, func(a, b packedRange) int { return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(a.end, b.end)) })
	for i := 1; i < len(packed); i++ {
		if packed[i].begin < packed[i-1].end {
			return fmt.Errorf("arrays %q and %q overlap in the archive", packed[i-1].name, packed[i].name)
		}
	}
	return nil
}

// readMember reads the header of an entry. at is the position of the entry's content in the
// archive.
func readMember(f *zip.File, archiveSize int64) (m Member, at int64, err error) {
	name, ok := strings.CutSuffix(f.Name, ".npy")
	if !ok {
		return m, 0, errors.New("is not an array; an .npz file contains only .npy files")
	}
	if err := checkEntry(f, archiveSize); err != nil {
		return m, 0, err
	}
	if at, err = f.DataOffset(); err != nil {
		return m, 0, err
	}
	if at > archiveSize || int64(f.CompressedSize64) > archiveSize-at {
		return m, 0, fmt.Errorf("claims %d bytes from byte %d on, but the archive has only %d bytes", f.CompressedSize64, at, archiveSize)
	}
	r, err := f.Open()
	if err != nil {
		return m, 0, err
	}
	defer r.Close()
	m = Member{Name: name, Offset: -1, file: f}
	if m.header, m.start, err = readHeader(r); err != nil {
		return m, 0, err
	}
	m.Descr, m.Shape = m.header.descr, m.header.shape
	if m.kind, m.Unusable = parseDescr(m.Descr); m.Unusable != nil {
		return m, at, m.refuseObjects()
	}
	m.DType = m.kind.dtype
	return m, at, m.place(at)
}

// refuseObjects returns an error for an array of Python objects. An archive with such an array is a
// pickle, even if it also has other arrays.
func (m *Member) refuseObjects() error {
	if strings.Contains(m.Descr, "O") {
		return m.Unusable
	}
	return nil
}

// place checks that the entry has as many elements as its shape requires. It sets Offset if they
// can be read directly from the archive. at is the position of the entry's content.
func (m *Member) place(at int64) error {
	n, err := tensor.Elements(m.Shape)
	if err != nil {
		return err
	}
	hi, want := bits.Mul64(uint64(n), uint64(m.kind.size))
	held := int64(m.file.UncompressedSize64) - m.start
	if hi != 0 || held < 0 || want != uint64(held) {
		return fmt.Errorf("%s of type %q needs %d bytes, the entry has %d", tensor.FormatShape(m.Shape), m.Descr, want, max(0, held))
	}
	switch {
	case m.kind.text != 0:
		m.Unusable = errors.New("contains text; numbers are expected")
	case m.reordered() && held > maxReordered:
		m.Unusable = fmt.Errorf("it is in Fortran order and must be reordered in memory, but it has %d bytes and at most %d are supported; save it as numpy.ascontiguousarray(x)", held, maxReordered)
	case m.file.Method == zip.Store && !m.reordered() && !m.kind.bigEndian:
		m.Offset = at + m.start
	}
	return nil
}

func (m *Member) reordered() bool { return m.header.fortran && len(m.Shape) > 1 }

// Bytes returns the size of the elements in bytes.
func (m *Member) Bytes() int64 { return max(0, int64(m.file.UncompressedSize64)-m.start) }

// Copy writes the elements, little endian and row-major. It checks their number, and the checksum
// of a compressed entry.
func (m *Member) Copy(w io.Writer) error {
	if m.Unusable != nil {
		return m.Unusable
	}
	r, err := m.file.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	if _, err := io.CopyN(io.Discard, r, m.start); err != nil {
		return fmt.Errorf("array %q: the header is cut off: %w", m.Name, err)
	}
	if err := m.copyElements(w, r); err != nil {
		return fmt.Errorf("array %q: %w", m.Name, err)
	}
	if err := readEnd(r); err != nil {
		return fmt.Errorf("array %q: %w", m.Name, err)
	}
	return nil
}

func (m *Member) copyElements(w io.Writer, r io.Reader) error {
	step := int64(64 << 10) // a multiple of all element sizes
	if m.reordered() {
		step = m.Bytes()
	}
	buf := make([]byte, min(step, m.Bytes()))
	for left := m.Bytes(); left > 0; left -= int64(len(buf)) {
		buf = buf[:min(left, int64(len(buf)))]
		if _, err := io.ReadFull(r, buf); err != nil {
			return fmt.Errorf("the elements are cut off: %w", err)
		}
		if m.kind.bigEndian {
			swap(buf, m.kind.part)
		}
		out := buf
		if m.reordered() {
			out = toRowMajor(buf, m.Shape, m.kind.size)
		}
		if _, err := w.Write(out); err != nil {
			return err
		}
	}
	return nil
}
