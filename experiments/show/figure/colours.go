package figure

// Colours are those of the first words where the profile names none: most people, colour-blind ones too, can
// distinguish them.
var Colours = []string{"#2a8f3c", "#c8322b", "#2567b5", "#b8860b", "#7b4fa3"}
