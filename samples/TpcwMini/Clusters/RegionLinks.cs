using System.Net;
using Geo.Testing.Wan;

namespace TpcwMini.Clusters;

/// <summary>The ways between the regions: each takes its time, and those of a region can be cut.</summary>
/// <param name="oneWay">How long a byte is under way.</param>
internal sealed class RegionLinks(TimeSpan oneWay) : IAsyncDisposable
{
    private readonly List<(string From, string To, DelayedLink Link)> _links = [];

    /// <summary>A way from one region's silos to a silo of another; where it begins.</summary>
    public string Lay(string from, string to, string silo)
    {
        var link = DelayedLink.Start(new DelayedLinkOptions { Target = IPEndPoint.Parse(silo), OneWayDelay = oneWay });
        _links.Add((from, to, link));
        return link.ListeningOn.ToString();
    }

    /// <summary>Cuts a region off: nothing arrives in either direction any more, and nobody is told.</summary>
    public void Cut(string cluster) => Of(cluster).ForEach(link => link.Cut(CutMode.BlackHole));

    /// <summary>Lets everything through again.</summary>
    public void Heal(string cluster) => Of(cluster).ForEach(link => link.Heal());

    public async ValueTask DisposeAsync()
    {
        foreach (var (_, _, link) in _links)
        {
            await link.DisposeAsync();
        }
    }

    private List<DelayedLink> Of(string cluster) =>
        [.. _links.Where(link => link.From == cluster || link.To == cluster).Select(link => link.Link)];
}
