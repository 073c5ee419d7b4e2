using System.Diagnostics;
using System.Globalization;

namespace Geo.Testing.Wan;

/// <summary>A network namespace of this process's own, with a network card and nothing else in it. Disposing removes it.</summary>
internal sealed class NetworkNamespace : IDisposable
{
    private const string Prefix = "geo-wan-";
    private const string Folder = "/run/netns";

    private static int _made;

    private NetworkNamespace(string name) => Name = name;

    public string Name { get; }

    public string Path => System.IO.Path.Combine(Folder, Name);

    /// <summary>Makes a namespace whose name tells this process and no other.</summary>
    public static NetworkNamespace Create()
    {
        var made = new NetworkNamespace(string.Create(
            CultureInfo.InvariantCulture, $"{Prefix}{Environment.ProcessId}-{Interlocked.Increment(ref _made)}"));
        Ip("netns", "add", made.Name);
        return made;
    }

    /// <summary>Removes what processes that were killed have left behind.</summary>
    public static void RemoveAbandoned()
    {
        foreach (var name in System.IO.Directory.Exists(Folder) ? System.IO.Directory.GetFiles(Folder, $"{Prefix}*").Select(System.IO.Path.GetFileName) : [])
        {
            var owner = name![Prefix.Length..].Split('-')[0];
            if (int.TryParse(owner, NumberStyles.None, CultureInfo.InvariantCulture, out var process) && !IsAlive(process))
            {
                TryIp("netns", "delete", name);
            }
        }
    }

    /// <summary>Takes a device in and brings it up with an address.</summary>
    public void Adopt(string device, string addressWithPrefix, int queuePackets)
    {
        Ip("link", "set", device, "netns", Name);
        Ip("-n", Name, "link", "set", "lo", "up");
        Ip("-n", Name, "addr", "add", addressWithPrefix, "dev", device);
        Ip("-n", Name, "link", "set", device, "txqueuelen", queuePackets.ToString(CultureInfo.InvariantCulture), "up");
    }

    public void Dispose() => TryIp("netns", "delete", Name);

    private static bool IsAlive(int process)
    {
        try
        {
            // A process that has ended stays in the list until its parent has asked for its exit code.
            var state = File.ReadAllText(string.Create(CultureInfo.InvariantCulture, $"/proc/{process}/stat"));
            return !state[(state.LastIndexOf(')') + 1)..].TrimStart().StartsWith('Z');
        }
        catch (IOException)
        {
            return false;
        }
    }

    private static void Ip(params string[] arguments)
    {
        if (TryIp(arguments) is { } error)
        {
            throw new GeoConfigurationException($"Tunnel router: 'ip {string.Join(' ', arguments)}' failed: {error.Trim()}");
        }
    }

    private static string? TryIp(params string[] arguments)
    {
        using var process = Process.Start(new ProcessStartInfo("ip", arguments) { RedirectStandardError = true })
            ?? throw new GeoConfigurationException("Tunnel router: the program 'ip' could not be started.");
        var error = process.StandardError.ReadToEnd();
        process.WaitForExit();
        return process.ExitCode == 0 ? null : error;
    }
}
