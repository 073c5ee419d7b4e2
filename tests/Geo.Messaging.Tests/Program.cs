namespace Geo.Messaging.Tests;

/// <summary>Runs the tests, or the server that one of them attacks in a process of its own.</summary>
internal static class Program
{
    public static Task<int> Main(string[] args) =>
        args is [ServerProgram.Command, ..] ? ServerProgram.RunAsync(args[1..])
        : args.Any(arg => arg is "--server" or "--internal-msbuild-node")
            ? Xunit.MicrosoftTestingPlatform.TestPlatformTestFramework.RunAsync(args, SelfRegisteredExtensions.AddSelfRegisteredExtensions)
        : Xunit.Runner.InProc.SystemConsole.ConsoleRunner.Run(args);
}
