using System.Diagnostics;
using System.Net;
using System.Runtime.ExceptionServices;
using System.Runtime.InteropServices;

namespace Geo.Emulation;

/// <summary>One place on an emulated wide-area network: a network namespace that sees the other sites and nothing else.</summary>
public sealed class TunnelSite
{
    private readonly NetworkNamespace _network;

    internal TunnelSite(NetworkNamespace network, IPAddress address) => (_network, Address) = (network, address);

    /// <summary>The site's address, at which the others reach what listens there.</summary>
    public IPAddress Address { get; }

    /// <summary>The name of its network namespace.</summary>
    public string Namespace => _network.Name;

    /// <summary>The same start of a process, at this site.</summary>
    public ProcessStartInfo Inside(ProcessStartInfo start)
    {
        ArgumentNullException.ThrowIfNull(start);
        var arguments = start.ArgumentList.ToArray();
        start.ArgumentList.Clear();
        foreach (var argument in (string[])["netns", "exec", Namespace, start.FileName, .. arguments])
        {
            start.ArgumentList.Add(argument);
        }

        start.FileName = "ip";
        return start;
    }

    /// <summary>
    /// Runs something at this site, on a thread of its own. A socket stays for good at the site at which it was made, so tests need no
    /// other process: what they make here may be used anywhere.
    /// </summary>
    /// <exception cref="GeoConfigurationException">The site is gone.</exception>
    public T Run<T>(Func<T> make)
    {
        ArgumentNullException.ThrowIfNull(make);
        T? made = default;
        ExceptionDispatchInfo? fault = null;
        var thread = new Thread(() =>
        {
            try
            {
                Enter();
                made = make();
            }
#pragma warning disable CA1031 // Whatever it is, the caller gets it.
            catch (Exception e)
#pragma warning restore CA1031
            {
                fault = ExceptionDispatchInfo.Capture(e);
            }
        });
        thread.Start();
        thread.Join();
        fault?.Throw();
        return made!;
    }

    private void Enter()
    {
        var descriptor = LinuxCalls.Open(_network.Path, LinuxCalls.CloseOnExec);
        if (descriptor < 0 || LinuxCalls.EnterNamespace(descriptor, LinuxCalls.NewNetwork) < 0)
        {
            throw new GeoConfigurationException(
                $"Network namespaces: cannot enter {_network.Path}: {Marshal.GetLastPInvokeErrorMessage()}.");
        }

        _ = LinuxCalls.Close(descriptor);
    }
}
