// Package reference has what tests compare Lathe with: models from other sources, and the Python
// packages that define ONNX. Only tests import it. The scripts of several packages use beside.py.
package reference
