// Package reference holds what tests compare Lathe with: models that others
// made, and the Python packages that say what ONNX is. Only tests import it.
// beside.py is what the scripts of several packages share.
package reference
