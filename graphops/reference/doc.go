// Package reference has what tests compare Lathe with: models from other sources, and the Python
// packages that define ONNX. Only tests import it. beside.py is shared by the scripts of several
// packages.
package reference
