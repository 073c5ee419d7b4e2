using ByteArraySample;

namespace Geo.Experiments.ByteArrays;

/// <summary>Figures 9 and 10 of the GEO paper. Its bars carry few numbers; those that its text names are beside them.</summary>
internal static class ThroughputRows
{
    private static readonly string Stored = Arrays.Prefix<BasicStoredArray>();
    private static readonly string Single = Arrays.Prefix<SingleStoredArray>();
    private static readonly string Multi = Arrays.Prefix<MultiStoredArray>();
    private static readonly string Volatile = Arrays.Prefix<BasicVolatileArray>();
    private static readonly string Led = Arrays.Prefix<MultiVolatileArray>();

    public static IReadOnlyList<ThroughputRow> All { get; } =
    [
        new("9: volatile, basic, baseline (one region)", Volatile, false, true, false, 10),
        new("9: volatile, basic, single", Volatile, false, true, true, 10, "within 15 % of the baseline"),
        new("9: volatile, versioned lin, multi", Led, true, true, true, 10, "about 1.5x single"),
        new("9: volatile, versioned local, multi", Led, false, true, true, 10, "39k, about 2x the baseline"),
        new("10: persistent, basic, close, 100 % updates", Stored, false, true, true, 100, "about 1 / storage latency"),
        new("10: persistent, basic, close, 10 % updates", Stored, false, true, true, 10),
        new("10: persistent, basic, close, reads", Stored, false, true, true, 0),
        new("10: persistent, basic, far, 100 % updates", Stored, false, false, true, 100, "about 1 / storage latency"),
        new("10: persistent, basic, far, 10 % updates", Stored, false, false, true, 10, "110"),
        new("10: persistent, basic, far, reads", Stored, false, false, true, 0),
        new("10: persistent, versioned lin, close, 10 % updates", Single, true, true, true, 10),
        new("10: persistent, versioned lin, far, 10 % updates", Single, true, false, true, 10, "11k"),
        new("10: persistent, versioned lin, far, 100 % updates", Single, true, false, true, 100),
        new("10: persistent, versioned lin, multi, 10 % updates", Multi, true, true, true, 10),
        new("10: persistent, versioned local, close, 10 % updates", Single, false, true, true, 10),
        new("10: persistent, versioned local, far, 10 % updates", Single, false, false, true, 10),
        new("10: persistent, versioned local, multi, 10 % updates", Multi, false, true, true, 10, "32k"),
    ];
}
