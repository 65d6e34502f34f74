//go:build !amd64 || noasm

package sent2vec

func kernels() map[string]kernel { return map[string]kernel{"chosen": {addScaled, dot}} }
