namespace Geo.Storage.Quorum.Tests;

/// <summary>What a process that keeps a part of the values is told.</summary>
/// <param name="Cluster">Its cluster.</param>
/// <param name="Ports">Where each of the clusters that keep values listens, on this machine.</param>
/// <param name="File">Its part of the values.</param>
public sealed record KeeperSettings(string Cluster, Dictionary<string, int> Ports, string File);
