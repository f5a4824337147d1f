package io.github.zklock.internal.concurrent;

/**
 * A frame that takes four times as much of a thread's stack as those of
 * {@link StackProbe}, and is one in the same way. Each frame touches memory twice, and
 * most of that is in no cache if many threads are at work: so where much stack is looked
 * for, a few wide frames are better. Where little is they are not, because the innermost
 * writes all that it keeps.
 */
final class WideFrame {

	private static final long[] N = new long[128];

	private WideFrame() {
	}

	static long descend(int frames) {
		if (frames != 0) {
			return (frames > 0) ? descend(frames - 1) + 1 : 0;
		}
		long a0 = N[0], a1 = N[1], a2 = N[2], a3 = N[3], a4 = N[4], a5 = N[5], a6 = N[6], a7 = N[7];
		long b0 = N[8], b1 = N[9], b2 = N[10], b3 = N[11], b4 = N[12], b5 = N[13], b6 = N[14], b7 = N[15];
		long c0 = N[16], c1 = N[17], c2 = N[18], c3 = N[19], c4 = N[20], c5 = N[21], c6 = N[22], c7 = N[23];
		long d0 = N[24], d1 = N[25], d2 = N[26], d3 = N[27], d4 = N[28], d5 = N[29], d6 = N[30], d7 = N[31];
		long e0 = N[32], e1 = N[33], e2 = N[34], e3 = N[35], e4 = N[36], e5 = N[37], e6 = N[38], e7 = N[39];
		long f0 = N[40], f1 = N[41], f2 = N[42], f3 = N[43], f4 = N[44], f5 = N[45], f6 = N[46], f7 = N[47];
		long g0 = N[48], g1 = N[49], g2 = N[50], g3 = N[51], g4 = N[52], g5 = N[53], g6 = N[54], g7 = N[55];
		long h0 = N[56], h1 = N[57], h2 = N[58], h3 = N[59], h4 = N[60], h5 = N[61], h6 = N[62], h7 = N[63];
		long i0 = N[64], i1 = N[65], i2 = N[66], i3 = N[67], i4 = N[68], i5 = N[69], i6 = N[70], i7 = N[71];
		long j0 = N[72], j1 = N[73], j2 = N[74], j3 = N[75], j4 = N[76], j5 = N[77], j6 = N[78], j7 = N[79];
		long k0 = N[80], k1 = N[81], k2 = N[82], k3 = N[83], k4 = N[84], k5 = N[85], k6 = N[86], k7 = N[87];
		long l0 = N[88], l1 = N[89], l2 = N[90], l3 = N[91], l4 = N[92], l5 = N[93], l6 = N[94], l7 = N[95];
		long m0 = N[96], m1 = N[97], m2 = N[98], m3 = N[99], m4 = N[100], m5 = N[101], m6 = N[102], m7 = N[103];
		long n0 = N[104], n1 = N[105], n2 = N[106], n3 = N[107], n4 = N[108], n5 = N[109], n6 = N[110], n7 = N[111];
		long o0 = N[112], o1 = N[113], o2 = N[114], o3 = N[115], o4 = N[116], o5 = N[117], o6 = N[118], o7 = N[119];
		long p0 = N[120], p1 = N[121], p2 = N[122], p3 = N[123], p4 = N[124], p5 = N[125], p6 = N[126], p7 = N[127];
		return descend(-1) + a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7 + b0 + b1 + b2 + b3 + b4 + b5 + b6 + b7 + c0 + c1
				+ c2 + c3 + c4 + c5 + c6 + c7 + d0 + d1 + d2 + d3 + d4 + d5 + d6 + d7 + e0 + e1 + e2 + e3 + e4 + e5 + e6
				+ e7 + f0 + f1 + f2 + f3 + f4 + f5 + f6 + f7 + g0 + g1 + g2 + g3 + g4 + g5 + g6 + g7 + h0 + h1 + h2 + h3
				+ h4 + h5 + h6 + h7 + i0 + i1 + i2 + i3 + i4 + i5 + i6 + i7 + j0 + j1 + j2 + j3 + j4 + j5 + j6 + j7 + k0
				+ k1 + k2 + k3 + k4 + k5 + k6 + k7 + l0 + l1 + l2 + l3 + l4 + l5 + l6 + l7 + m0 + m1 + m2 + m3 + m4 + m5
				+ m6 + m7 + n0 + n1 + n2 + n3 + n4 + n5 + n6 + n7 + o0 + o1 + o2 + o3 + o4 + o5 + o6 + o7 + p0 + p1 + p2
				+ p3 + p4 + p5 + p6 + p7;
	}

}
