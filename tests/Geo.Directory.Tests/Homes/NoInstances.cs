namespace Geo.Directory.Tests.Homes;

/// <summary>A silo without instances.</summary>
internal sealed class NoInstances : ILocalInstances
{
    public string Node => "us/1";

    public long Incarnation => 1;

    public NodeState StateOf(string node) => NodeState.Living;

    public bool Has(GrainKey key) => false;

    public ValueTask<TenancyUse> UsesAsync(
        string node, GrainKey key, long tenancy, TimeSpan timeout, CancellationToken cancellationToken) => default;

    public ValueTask DeactivateAsync(GrainKey key, string reason) => default;
}
