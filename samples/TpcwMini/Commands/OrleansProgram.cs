using System.Diagnostics;
using Geo.Processes;
using TpcwMini.Hosting;
using TpcwMini.Options;

namespace TpcwMini.Commands;

/// <summary>
/// The same program built with Orleans (samples/TpcwMini.Orleans), which lies beside this one where the package sources of the build served
/// Orleans. It takes the whole command line over, and this process hands on its exit code.
/// </summary>
internal static class OrleansProgram
{
    private static string Location =>
        Path.Combine(Path.GetDirectoryName(typeof(OrleansProgram).Assembly.Location)!, "orleans", "TpcwMini.Orleans.dll");

    /// <summary>True where the build had Orleans.</summary>
    public static bool IsBuilt => File.Exists(Location);

    public static async Task<int> RunAsync(string[] arguments, CancellationToken cancellationToken)
    {
        if (ThisHost.Kind == HostKind.Orleans)
        {
            throw new UsageException("--host embedded is samples/TpcwMini; this is the program with Orleans.");
        }

        if (!IsBuilt)
        {
            throw new UsageException(
                "--host orleans is not in this build: its package sources did not serve Microsoft Orleans. Build where they do, or leave "
                + "--host out.");
        }

        using var program = Process.Start(ProgramStart.Dotnet(Location, arguments))
            ?? throw new ChildFailedException("The program with Orleans could not be started.");
        try
        {
            // A key press that stops this process stops that one as well; it is given the time to put things in order.
            await program.WaitForExitAsync(CancellationToken.None).WaitAsync(cancellationToken);
        }
        catch (OperationCanceledException)
        {
            await program.WaitForExitAsync(CancellationToken.None).WaitAsync(Defaults.ProcessPatience, CancellationToken.None);
        }

        return program.ExitCode;
    }
}
