package main

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestProcess(t *testing.T) {
	b := &bench{work: t.TempDir()}
	if o := b.process(t.Context(), []string{"sh", "-c", "echo a; echo b >&2"}, limit); o.failed != "" || o.output != "a\nb\n" || o.time <= 0 || o.peak <= 0 {
		t.Errorf("got %+v", o)
	}
	if o := b.process(t.Context(), []string{"sh", "-c", "echo reason; echo; exit 3"}, limit); o.failed != "exit status 3: reason" {
		t.Errorf("got %+v", o)
	}
	if o := b.process(t.Context(), []string{filepath.Join(b.work, "nothing")}, limit); o.failed == "" {
		t.Error("a program that is not there did not fail")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if o := b.process(ctx, []string{"sleep", "60"}, limit); o.failed != "interrupted" {
		t.Errorf("got %+v", o)
	}
	if o := b.process(t.Context(), []string{"sh", "-c", "sleep 60 & wait"}, 100*time.Millisecond); !strings.HasPrefix(o.failed, "stopped") || o.time > 30*time.Second {
		t.Errorf("got %+v", o)
	}
}
