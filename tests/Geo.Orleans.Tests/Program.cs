using Geo.Orleans.Tests.Processes;

namespace Geo.Orleans.Tests;

/// <summary>Runs the tests, or a silo for one of them that needs a process of its own.</summary>
internal static class Program
{
    public static Task<int> Main(string[] args) =>
        args is [SiloProcess.Command, ..] ? SiloProcess.RunAsync(args[1..])
        : args.Any(arg => arg is "--server" or "--internal-msbuild-node")
            ? Xunit.MicrosoftTestingPlatform.TestPlatformTestFramework.RunAsync(args, SelfRegisteredExtensions.AddSelfRegisteredExtensions)
        : Xunit.Runner.InProc.SystemConsole.ConsoleRunner.Run(args);
}
