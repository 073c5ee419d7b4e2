namespace Geo;

/// <summary>The identity of a virtual actor across all clusters: its grain type and its key (GEO section 2.1).</summary>
/// <param name="Type">The grain type, without a '/'.</param>
/// <param name="Key">The key within the type; any text, may be empty.</param>
/// <exception cref="ArgumentException">The type is empty or holds a '/'; two grains could share one row.</exception>
public readonly record struct GrainKey(string Type, string Key)
{
    /// <summary>The grain type.</summary>
    public string Type { get; } = CheckType(Type);

    /// <summary>The text form <c>type/key</c>, which <see cref="Parse"/> reads back; used as a row's name in stores.</summary>
    public override string ToString() => $"{Type}/{Key}";

    /// <summary>The partition key under which messages about this grain keep their order.</summary>
    public PartitionKey ToPartitionKey() => PartitionKey.From(ToString());

    /// <summary>Reads the text form <c>type/key</c>.</summary>
    /// <exception cref="FormatException">The text has no '/', or nothing before it.</exception>
    public static GrainKey Parse(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        var slash = text.IndexOf('/', StringComparison.Ordinal);
        return slash > 0
            ? new GrainKey(text[..slash], text[(slash + 1)..])
            : throw new FormatException($"'{text}' is not a grain key: expected 'type/key'.");
    }

    private static string CheckType(string type)
    {
        ArgumentException.ThrowIfNullOrEmpty(type);
        return type.Contains('/', StringComparison.Ordinal)
            ? throw new ArgumentException($"'{type}' is not a grain type: it holds a '/'.", nameof(type))
            : type;
    }
}
