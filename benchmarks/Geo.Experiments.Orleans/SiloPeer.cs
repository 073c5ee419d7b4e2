using System.Net;
using System.Net.Sockets;
using Geo.Experiments.Messaging;
using Geo.Experiments.Messaging.Load;
using Microsoft.Extensions.Hosting;

namespace Geo.Experiments.Orleans;

/// <summary>A peer that is a silo: peer 1 holds the membership and serves, peer 0 joins it and loads it.</summary>
internal sealed class SiloPeer : IExperimentPeer
{
    private readonly PeerSettings _settings;
    private readonly IPEndPoint _own;
    private IHost? _host;

    private SiloPeer(PeerSettings settings) =>
        (_settings, _own) = (settings, new IPEndPoint(IPAddress.Parse(settings.Address), FreePort(settings.Address)));

    public int Port => _own.Port;

    public static async Task<SiloPeer> StartAsync(PeerSettings settings)
    {
        var peer = new SiloPeer(settings);
        if (settings.Index != 0)
        {
            peer._host = await SiloHost.StartAsync(settings, peer._own, peer._own);
        }

        return peer;
    }

    public async Task<PeerFigures?> RunAsync(IReadOnlyList<IPEndPoint> addresses)
    {
        if (_settings.Index != 0)
        {
            return null;
        }

        _host = await SiloHost.StartAsync(_settings, _own, addresses[1]);
        return await EchoLoad.RunAsync(await SiloTarget.CreateAsync(_host.Services, _settings), _settings);
    }

    // The experiment is over and the process ends: nobody is left to whom a silo would have to say goodbye.
    public ValueTask DisposeAsync()
    {
        _host?.Dispose();
        return ValueTask.CompletedTask;
    }

    private static int FreePort(string address)
    {
        using var listener = new TcpListener(IPAddress.Parse(address), 0);
        listener.Start();
        return ((IPEndPoint)listener.LocalEndpoint).Port;
    }
}
