// Package inference turns a model that was exported in training mode into an inference graph, which
// computes what the network computes in evaluation mode.
//
// Each Dropout is removed. If a node reads its mask, the mask becomes a tensor in which every
// element is true. A BatchNormalization uses its running statistics instead of those of the batch.
// In training it also returns updated statistics; readers of these get the inputs with the old
// statistics instead. If they are outputs of the model, these outputs are removed, with a warning.
// Other nodes that behave differently in training, such as losses, are not changed.
package inference
