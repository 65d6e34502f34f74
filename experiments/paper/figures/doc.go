// Package figures makes the paper's figures of words. They are densities over a map of the contexts (Figures 1 and
// 4), a transport plan between single contexts (Figure 2) and the ways to combine words (Figure 3). A flow between
// clusters of contexts is our own. The same figures show the words of any cmdlib.Space. How they are drawn is package
// figure's.
package figures
