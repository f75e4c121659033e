package graphops_test

import (
	"errors"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"lathe/graphops"
)

// TestExchangedWhileOpening exchanges a folder below the model's for a link that
// leads out, back and forth, while data in it is opened again and again. It is
// read from the folder or refused, and never from behind the link.
func TestExchangedWhileOpening(t *testing.T) {
	root := t.TempDir()
	tree(t, root, map[string]string{
		"models/m.onnx": eightBytes(t, "sub/w.bin"), "models/sub/w.bin": "the data",
		"models/link": "-> ../secret", "secret/w.bin": "not this",
	})
	sub, link := filepath.Join(root, "models", "sub"), filepath.Join(root, "models", "link")
	exchange := func() error { return unix.Renameat2(unix.AT_FDCWD, sub, unix.AT_FDCWD, link, unix.RENAME_EXCHANGE) }
	if err := exchange(); err != nil {
		t.Skipf("the file system cannot exchange two names: %v", err)
	}
	stop := make(chan struct{})
	var racer sync.WaitGroup
	racer.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				if err := exchange(); err != nil {
					t.Error(err)
					return
				}
			}
		}
	})
	defer racer.Wait()
	defer close(stop)
	read, refused := 0, 0
	for start := time.Now(); time.Since(start) < 300*time.Millisecond || read*refused == 0; {
		m, err := graphops.Open(filepath.Join(root, "models", "m.onnx"), graphops.OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		data, err := m.Graph().Initializers()[0].Data()
		if err != nil {
			refused++
			continue
		}
		b, err := data.Bytes()
		if string(b) != "the data" || err != nil {
			t.Fatalf("read %q, %v", b, err)
		}
		if read++; time.Since(start) > 10*time.Second {
			t.Fatal(errors.New("the race was never lost"))
		}
	}
	t.Logf("read %d times, refused %d times", read, refused)
}
