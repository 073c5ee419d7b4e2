namespace Geo.Testing.Conformance;

/// <summary>One case of the conditional store's contract.</summary>
/// <param name="Name">A sentence that says what a store does.</param>
/// <param name="CheckAsync">Runs the case; throws a <see cref="ConformanceException"/> when the store does otherwise.</param>
public sealed record ConditionalStoreCase(string Name, Func<ConditionalStoreSubject, Task> CheckAsync)
{
    internal ConditionalStoreCase(string name, Func<StoreBench, Task> check)
        : this(name, async subject => await check(await StoreBench.OpenAsync(subject)))
    {
    }

    /// <inheritdoc/>
    public override string ToString() => Name;
}
