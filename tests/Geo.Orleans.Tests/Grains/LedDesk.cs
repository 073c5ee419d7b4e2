namespace Geo.Orleans.Tests.Grains;

[OneInstancePerCluster, VersionedLeader]
public sealed class LedDesk : AnyDesk;
