package wire

import (
	"reflect"
	"testing"
)

func TestSetupRoundTrip(t *testing.T) {
	var full Setup
	(&filler{}).fill(reflect.ValueOf(&full).Elem())
	for _, want := range []Setup{full, {}} {
		data, err := EncodeSetup(want)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := DecodeSetup(data); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, %v; want %+v", got, err, want)
		}
	}
}
