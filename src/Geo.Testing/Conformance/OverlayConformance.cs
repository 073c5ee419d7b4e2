namespace Geo.Testing.Conformance;

/// <summary>
/// What applications may expect of any overlay over any transport, as runnable cases for any test framework.
/// </summary>
/// <example>
/// With xunit:
/// <code>
/// public static TheoryData&lt;string&gt; Cases => [.. OverlayConformance.Names];
///
/// [Theory, MemberData(nameof(Cases))]
/// public Task Keeps_the_contract(string name) =>
///     OverlayConformance.RunAsync(name, new OverlaySubject("ring", () => new SimulatedOverlayWorld(seed, MyCatalog)));
/// </code>
/// </example>
public static class OverlayConformance
{
    /// <summary>All cases.</summary>
    public static IReadOnlyList<OverlayCase> Cases { get; } = [.. OverlayMembershipCases.All, .. OverlayDeliveryCases.All];

    /// <summary>The names of all cases, for a test framework that identifies tests by text.</summary>
    public static IReadOnlyList<string> Names { get; } = [.. Cases.Select(c => c.Name)];

    /// <summary>Runs one case.</summary>
    /// <param name="name">One of <see cref="Names"/>.</param>
    /// <param name="subject">The overlay under test.</param>
    /// <exception cref="ConformanceException">The overlay breaks the contract.</exception>
    /// <exception cref="ArgumentException">There is no such case.</exception>
    public static Task RunAsync(string name, OverlaySubject subject)
    {
        ArgumentNullException.ThrowIfNull(subject);
        var found = Cases.FirstOrDefault(c => c.Name == name)
            ?? throw new ArgumentException($"There is no conformance case '{name}'.", nameof(name));
        return found.CheckAsync(subject);
    }
}
