package sandbox

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEnviron(t *testing.T) {
	got := Environ([]string{
		"HOME=/home/a", "PATH=/bin", "LC_ALL=C", "OMP_NUM_THREADS=2", "LATHE_ORT_LIB=/x", "CUDA_VISIBLE_DEVICES=0",
		"SECRET_TOKEN=x", "AWS_SECRET_ACCESS_KEY=x", "SSH_AUTH_SOCK=/x", "LATHE_API_TOKEN=x", "ORT_PASSWORD=x",
		"HOMEX=x", "LC=x", "=x", "PATHS=x", "no variable", "DBUS_SESSION_BUS_ADDRESS=x",
	})
	want := []string{"HOME=/home/a", "PATH=/bin", "LC_ALL=C", "OMP_NUM_THREADS=2", "LATHE_ORT_LIB=/x", "CUDA_VISIBLE_DEVICES=0"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestParse(t *testing.T) {
	for value, want := range map[string]Mode{"on": On, "off": Off, "require": Require} {
		if got, err := Parse(value); got != want || err != nil || got.String() != value {
			t.Errorf("%q is %q, %v, which reads %q", value, got, err, got)
		}
	}
	for _, value := range []string{"", "ON", "no", "on,off"} {
		if got, err := Parse(value); err == nil {
			t.Errorf("%q is %q, want an error", value, got)
		}
	}
}
