namespace Geo.Testing.Conformance;

/// <summary>One case of the contract of overlays.</summary>
/// <param name="Name">A sentence that says what an overlay does.</param>
/// <param name="CheckAsync">Runs the case; throws a <see cref="ConformanceException"/> when the overlay does otherwise.</param>
public sealed record OverlayCase(string Name, Func<OverlaySubject, Task> CheckAsync)
{
    internal OverlayCase(string name, Func<OverlayBench, Task> check)
        : this(name, async subject =>
        {
            await using var bench = new OverlayBench(subject);
            await check(bench);
        })
    {
    }

    /// <inheritdoc/>
    public override string ToString() => Name;
}
