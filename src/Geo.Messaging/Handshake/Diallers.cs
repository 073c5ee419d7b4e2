namespace Geo.Messaging;

/// <summary>The addresses that a node dials. To be used under its owner's lock.</summary>
internal sealed class Diallers(Func<PeerAddress, ClusterId, LinkDialler> create)
{
    private readonly Dictionary<PeerAddress, (LinkDialler Dialler, CancellationTokenSource Stop, Task Run)> _byAddress = [];

    public Task[] Running => [.. _byAddress.Values.Select(dialling => dialling.Run)];

    public LinkDialler? Find(PeerAddress address) => _byAddress.GetValueOrDefault(address).Dialler;

    /// <summary>Dials an address that is not dialled yet, until it is stopped or <paramref name="stopping"/> is set.</summary>
    public LinkDialler Start(PeerAddress address, ClusterId cluster, CancellationToken stopping)
    {
        var stop = CancellationTokenSource.CreateLinkedTokenSource(stopping);
        var (dialler, token) = (create(address, cluster), stop.Token);
        _byAddress.Add(address, (dialler, stop, Task.Run(() => dialler.RunAsync(token), CancellationToken.None)));
        return dialler;
    }

    public void Stop(PeerAddress address)
    {
        if (_byAddress.Remove(address, out var dialling))
        {
            dialling.Stop.Cancel();
            dialling.Stop.Dispose();
        }
    }
}
