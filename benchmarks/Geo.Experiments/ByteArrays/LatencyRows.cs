using ByteArraySample;

namespace Geo.Experiments.ByteArrays;

/// <summary>Figure 8 of the GEO paper (medians, in ms).</summary>
internal static class LatencyRows
{
    private static readonly string BasicVolatile = Arrays.Prefix<BasicVolatileArray>();
    private static readonly string BasicStored = Arrays.Prefix<BasicStoredArray>();
    private static readonly string Single = Arrays.Prefix<SingleStoredArray>();

    public static IReadOnlyList<LatencyRow> All { get; } =
    [
        new("volatile, basic, single at California", BasicVolatile, false, true, [152.6, 152.6, 2.2, 2.1, 298.1, 297.9, 146.7, 146.6]),
        new("volatile, basic, single at Netherlands", BasicVolatile, false, false, [297.5, 297.7, 146.5, 146.4, 152.5, 152.5, 2.2, 2.2]),
        new("volatile, versioned lin, multi", Arrays.Prefix<MultiVolatileArray>(), true, null,
            [6.4, 6.3, 2.2, 2.4, 157.4, 306.6, 150.9, 151.0]),
        new("volatile, versioned local, multi", Arrays.Prefix<MultiVolatileArray>(), false, null,
            [6.2, 6.0, 2.1, 2.3, 6.3, 6.1, 2.2, 2.4]),
        new("persistent, basic, single at California", BasicStored, false, true, [163.7, 173.2, 2.1, 13.3, 297.6, 308.6, 146.6, 156.2]),
        new("persistent, basic, single at Netherlands", BasicStored, false, false, [298.1, 450.3, 146.5, 298.8, 307.5, 467.1, 2.2, 154.1]),
        new("persistent, versioned lin, single at California", Single, true, true, [165.2, 171.7, 9.4, 12.1, 305.4, 309.9, 154.0, 156.1]),
        new("persistent, versioned lin, single at Netherlands", Single, true, false,
            [447.0, 450.6, 295.5, 312.1, 302.4, 457.0, 150.9, 154.4]),
        new("persistent, versioned lin, multi", Arrays.Prefix<MultiStoredArray>(), true, null,
            [15.2, 25.7, 9.6, 14.1, 156.2, 312.2, 151.1, 155.0]),
        new("persistent, versioned local, single at California", Single, false, true,
            [152.9, 152.9, 2.2, 2.7, 298.2, 298.5, 146.6, 147.1]),
        new("persistent, versioned local, single at Netherlands", Single, false, false,
            [298.2, 298.2, 146.5, 147.0, 152.9, 153.2, 2.2, 2.6]),
        new("persistent, versioned local, multi", Arrays.Prefix<MultiStoredArray>(), false, null,
            [6.3, 6.4, 2.2, 2.6, 6.1, 6.1, 2.2, 2.6]),
    ];
}
