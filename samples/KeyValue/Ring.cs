using Geo;
using Geo.Messaging;

namespace KeyValueSample;

/// <summary>
/// The hash space in 1,024 partitions, which the peers claim in turn; a key's replicas are the owner of its partition and the next two
/// clockwise, so three different peers.
/// </summary>
public sealed class Ring
{
    public const int Partitions = 1_024;
    public const int Replicas = 3;

    private readonly PeerId[][] _replicas;

    /// <param name="peers">The peers; all of them must be given the same, in any order.</param>
    /// <exception cref="ArgumentException">There are fewer than three.</exception>
    public Ring(IReadOnlyList<PeerId> peers)
    {
        if (peers.Distinct().Count() < Replicas)
        {
            throw new ArgumentException($"A ring needs at least {Replicas} peers.", nameof(peers));
        }

        PeerId[] claimants = [.. peers.Distinct().Order()];
        _replicas = [.. Enumerable.Range(0, Partitions).Select(partition =>
            Enumerable.Range(partition, Replicas).Select(owner => claimants[owner % claimants.Length]).ToArray())];
    }

    /// <summary>The three peers that hold a key.</summary>
    public IReadOnlyList<PeerId> ReplicasOf(string key) => _replicas[PartitionKey.From(key).Mix() % Partitions];
}
