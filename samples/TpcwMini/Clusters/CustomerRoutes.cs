using System.Collections.Concurrent;

namespace TpcwMini.Clusters;

/// <summary>Through which region the customers of each are served, as a load balancer knows it, and how many orders are open.</summary>
internal sealed class CustomerRoutes
{
    private readonly ConcurrentDictionary<string, string> _through = new(StringComparer.Ordinal);
    private readonly ConcurrentDictionary<string, int> _open = new(StringComparer.Ordinal);

    /// <summary>Begins an order of a region's customer; through which region all of it goes.</summary>
    public string Begin(string region)
    {
        while (true)
        {
            var through = _through.GetValueOrDefault(region, region);
            _open.AddOrUpdate(through, 1, (_, open) => open + 1);
            if (_through.GetValueOrDefault(region, region) == through)
            {
                return through;
            }

            // Turned away in this very moment, when nobody may have seen the order yet.
            End(through);
        }
    }

    /// <summary>The order is over, however it ended.</summary>
    public void End(string through) => _open.AddOrUpdate(through, 0, (_, open) => open - 1);

    /// <summary>New orders of a region's customers go through another region.</summary>
    public void Turn(string region, string through) => _through[region] = through;

    /// <summary>How many orders are open through a region.</summary>
    public int OpenThrough(string region) => _open.GetValueOrDefault(region);
}
