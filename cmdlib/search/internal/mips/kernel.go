package mips

// step is the number of numbers that kernels take at once: queries are filled up with zeros to a multiple.
const step = 32

// dotsPortable sets sums to the inner products of rows of dim codes, bytes that are int8, with a query; each row begins
// stride bytes behind the one before. They are exact: levels sees to it that they have 32 bits.
func dotsPortable(sums []int32, rows []byte, query []int16, dim, stride int) {
	query = query[:dim]
	for i := range sums {
		sum := int32(0)
		row := rows[i*stride : i*stride+dim]
		for j, q := range query {
			sum += int32(int8(row[j])) * int32(q)
		}
		sums[i] = sum
	}
}
