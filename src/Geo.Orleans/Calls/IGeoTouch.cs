using Orleans.Concurrency;

namespace Geo.Orleans;

/// <summary>Activates a grain and nothing else, so that its cluster is known before a one-way call is sent.</summary>
[Alias("geo.touch")]
internal interface IGeoTouch : IGrainExtension
{
    [AlwaysInterleave]
    [Alias("touch")]
    Task TouchAsync();
}
