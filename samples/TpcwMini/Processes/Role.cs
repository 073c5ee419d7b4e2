using TpcwMini.Commands;

namespace TpcwMini.Processes;

/// <summary>What every role of a child process has in common: its settings come from the parent, and so does the end.</summary>
internal static class Role
{
    /// <param name="serve">Serves until <see cref="ParentPipe.Stop"/>.</param>
    public static async Task<int> RunAsync<TSettings>(Func<ParentPipe, TSettings, Task> serve)
    {
        var (parent, settings) = ParentPipe.Open<TSettings>();
        try
        {
            await serve(parent, settings);
            return ExitCodes.Passed;
        }
        catch (Exception error)
        {
            // The parent shows one line to the user; what a developer needs goes to the log.
            parent.Failed(error is GeoException ? error.Message : $"{error.GetType().Name}: {error.Message}");
            await Console.Error.WriteLineAsync(error.ToString());
            return ExitCodes.Refused;
        }
    }
}
