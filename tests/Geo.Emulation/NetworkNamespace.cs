using System.Diagnostics;
using System.Globalization;

namespace Geo.Emulation;

/// <summary>
/// A network namespace of this process's own, with the network cards that it is given and nothing else. Disposing removes it.
/// </summary>
internal sealed class NetworkNamespace : IDisposable
{
    private const string Prefix = "geo-wan-";
    private const string Folder = "/run/netns";

    private static int _made;

    private NetworkNamespace(string name) => Name = name;

    /// <summary>Why this process can make none; null when it can.</summary>
    public static string? Unavailable =>
        !OperatingSystem.IsLinux() ? "network namespaces need Linux"
        : !MayAdministerNetworks() ? "network namespaces need root"
        : !IsInstalled("ip") ? "the program 'ip' (iproute2) is not installed"
        : null;

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
        var files = System.IO.Directory.Exists(Folder) ? System.IO.Directory.GetFiles(Folder, $"{Prefix}*") : [];
        foreach (var name in files.Select(System.IO.Path.GetFileName))
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

    /// <summary>Runs a program within and waits for its end.</summary>
    /// <exception cref="GeoConfigurationException">It failed; the message says why.</exception>
    public void Execute(params string[] command) => Ip(["netns", "exec", Name, .. command]);

    public static bool IsInstalled(string program) =>
        (Environment.GetEnvironmentVariable("PATH") ?? "").Split(':').Any(folder => File.Exists(System.IO.Path.Combine(folder, program)));

    /// <summary>Runs the program <c>ip</c>.</summary>
    /// <exception cref="GeoConfigurationException">It failed; the message says why.</exception>
    public static void Ip(params string[] arguments)
    {
        if (TryIp(arguments) is { } error)
        {
            throw new GeoConfigurationException($"Network namespaces: 'ip {string.Join(' ', arguments)}' failed: {error.Trim()}");
        }
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

    private static bool MayAdministerNetworks()
    {
        // CAP_NET_ADMIN and CAP_SYS_ADMIN, which root in a container need not have.
        const ulong needed = (1UL << 12) | (1UL << 21);
        const string effective = "CapEff:";
        var line = File.ReadLines("/proc/self/status").FirstOrDefault(line => line.StartsWith(effective, StringComparison.Ordinal));
        return ulong.TryParse(
            line.AsSpan(line is null ? 0 : effective.Length).Trim(), NumberStyles.HexNumber, CultureInfo.InvariantCulture,
            out var capabilities)
            && (capabilities & needed) == needed;
    }

    private static string? TryIp(params string[] arguments)
    {
        using var process = Process.Start(new ProcessStartInfo("ip", arguments) { RedirectStandardError = true })
            ?? throw new GeoConfigurationException("Network namespaces: the program 'ip' could not be started.");
        var error = process.StandardError.ReadToEnd();
        process.WaitForExit();
        return process.ExitCode == 0 ? null : error;
    }
}
