using System.Runtime.InteropServices;

namespace Geo.Processes;

/// <summary>What every role of a child process has in common: its settings come from the parent, and so does the end.</summary>
public static class ChildRole
{
    private const int Passed = 0;
    private const int Refused = 2;

    /// <param name="serve">Serves until <see cref="ParentPipe.Stop"/>.</param>
    /// <returns>The exit code of the process.</returns>
    public static async Task<int> RunAsync<TSettings>(Func<ParentPipe, TSettings, Task> serve)
    {
        ArgumentNullException.ThrowIfNull(serve);

        // A key press that stops the parent reaches its children as well; when they end is the parent's decision, which may need them yet.
        using var interrupted = PosixSignalRegistration.Create(PosixSignal.SIGINT, signal => signal.Cancel = true);
        var (parent, settings) = ParentPipe.Open<TSettings>();
        try
        {
            await serve(parent, settings);
            return Passed;
        }
#pragma warning disable CA1031 // Whatever it is, the parent shows one line to the user; what a developer needs goes to the log.
        catch (Exception error)
#pragma warning restore CA1031
        {
            parent.Failed(error);
            return Refused;
        }
    }
}
