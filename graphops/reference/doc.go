// Package reference holds what tests compare Lathe with: models that others
// made, and the Python packages that say what ONNX is. Only tests import it.
package reference
