namespace ByteArraySample;

/// <summary>The classes, and the regions and sizes of the paper.</summary>
public static class Arrays
{
    /// <summary>The region with the store; it leads volatile arrays.</summary>
    public const string Near = "california";

    /// <summary>The other region.</summary>
    public const string Far = "netherlands";

    /// <summary>The bytes of one array.</summary>
    public const int Size = 512;

    /// <summary>The bytes of one access.</summary>
    public const int Part = 32;

    /// <summary>Every class, with the name by which references choose it.</summary>
    public static IReadOnlyList<(string Name, string ClassPrefix)> All { get; } =
    [
        ("basic, volatile, single", Prefix<BasicVolatileArray>()),
        ("basic, persistent, single", Prefix<BasicStoredArray>()),
        ("versioned, persistent, single", Prefix<SingleStoredArray>()),
        ("versioned, persistent, multi", Prefix<MultiStoredArray>()),
        ("versioned, volatile, multi", Prefix<MultiVolatileArray>()),
    ];

    /// <summary>The name of a class for <c>GetGrain</c>.</summary>
    public static string Prefix<TGrain>()
        where TGrain : IByteArray => typeof(TGrain).FullName!;
}
