package wire

import (
	"fmt"
	"reflect"

	"lathe/graphops"
)

// EncodeParts encodes the results about a value that were requested besides its elements. Their
// keys are the names of the fields of graphops.Part: both ends are the same version of Lathe,
// otherwise the greeting has failed. It takes microseconds, because calibration and validation send
// parts for each value of each run.
func EncodeParts(parts []graphops.Part) ([]byte, error) {
	if len(parts) == 0 {
		return nil, nil
	}
	return encoding.Marshal(parts)
}

// DecodeParts reads the result of EncodeParts. It returns an error if the parts would take more than
// most bytes of memory.
func DecodeParts(data []byte, most int64) ([]graphops.Part, error) {
	if len(data) == 0 {
		return nil, nil
	}
	var parts []graphops.Part
	if err := checkWeight(weigh(data, reflect.TypeFor[[]graphops.Part](), most), most); err != nil {
		return nil, fmt.Errorf("results about a value: %w", err)
	}
	if err := decoding.Unmarshal(data, &parts); err != nil {
		return nil, fmt.Errorf("results about a value: %w", err)
	}
	return parts, nil
}
