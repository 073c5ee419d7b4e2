using System.ComponentModel;
using System.Diagnostics;

namespace Geo.Storage.AzureTables.Tests.Azurite;

/// <summary>
/// Azurite from npm, in a folder outside the checkout that all runs share: <c>GEO_TEST_TOOLS</c>, or the user's folder for local data.
/// </summary>
internal static class AzuriteInstallation
{
    private const string Package = "azurite";
    private const string Version = "3.35.0";

    private static readonly TimeSpan Limit = TimeSpan.FromMinutes(4);
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(200);

    private static string Root =>
        Environment.GetEnvironmentVariable("GEO_TEST_TOOLS") is { Length: > 0 } named ? named
        : Environment.GetFolderPath(
            Environment.SpecialFolder.LocalApplicationData) is { Length: > 0 } local ? Path.Combine(local, "geo-test-tools")
        : Path.Combine(Path.GetTempPath(), "geo-test-tools");

    /// <summary>Where the table service's script is, or why npm could not install it.</summary>
    public static async Task<(string? Script, string? Reason)> EnsureAsync()
    {
        var folder = Path.Combine(Root, $"{Package}-{Version}");
        var script = Path.Combine(folder, "node_modules", Package, "dist", "src", "table", "main.js");
        if (File.Exists(script))
        {
            return (script, null);
        }

        System.IO.Directory.CreateDirectory(Root);
        using var limit = new CancellationTokenSource(Limit);
        await using var only = await LockAsync($"{folder}.lock", limit.Token);
        if (File.Exists(script))
        {
            return (script, null);
        }

        // Complete or not there at all: an installation that was broken off leaves a folder that nobody looks at.
        var unfinished = System.IO.Directory.CreateDirectory($"{folder}.{Environment.ProcessId}").FullName;
        var reason = await InstallAsync(unfinished, limit.Token);
        if (reason is null)
        {
            System.IO.Directory.Move(unfinished, folder);
            return (script, null);
        }

        System.IO.Directory.Delete(unfinished, recursive: true);
        return (null, reason);
    }

    private static async Task<string?> InstallAsync(string folder, CancellationToken limit)
    {
        var npm = OperatingSystem.IsWindows() ? "npm.cmd" : "npm";
        var start = new ProcessStartInfo(npm) { RedirectStandardOutput = true, RedirectStandardError = true, WorkingDirectory = folder };
        foreach (var argument in new[] { "install", "--prefix", folder, "--no-audit", "--no-fund", $"{Package}@{Version}" })
        {
            start.ArgumentList.Add(argument);
        }

        Process process;
        try
        {
            process = Process.Start(start)!;
        }
        catch (Win32Exception e)
        {
            return $"npm is not there: {e.Message}";
        }

        using (process)
        {
            var output = process.StandardOutput.ReadToEndAsync(limit);
            var errors = process.StandardError.ReadToEndAsync(limit);
            try
            {
                await process.WaitForExitAsync(limit);
                return process.ExitCode == 0 ? null : $"npm ended with {process.ExitCode}: {(await errors).Trim()} {(await output).Trim()}";
            }
            catch (OperationCanceledException)
            {
                process.Kill(entireProcessTree: true);
                return $"npm did not end within {Limit}";
            }
        }
    }

    private static async Task<FileStream> LockAsync(string path, CancellationToken limit)
    {
        while (true)
        {
            try
            {
                return new FileStream(path, FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.None);
            }
            catch (IOException) when (!limit.IsCancellationRequested)
            {
                await Task.Delay(Pause, CancellationToken.None);
            }
        }
    }
}
