namespace Geo.Testing;

/// <summary>What a standard client asks of a grain.</summary>
internal enum CallKind
{
    Append,
    AppendIf,
    Enqueue,
    Read,
    Peek,
    Survey,
    Leave,
    Hang,
}

/// <summary>A call of a standard grain.</summary>
internal sealed record StandardCall(CallKind Kind, StandardGrain Grain, IReadOnlyList<int> Updates)
{
    public override string ToString() => $"{Kind} {Grain}{(Updates.Count == 0 ? "" : $" {string.Join('+', Updates)}")}";
}
