using System.Reflection;
using Geo.Consistency;
using Geo.Directory;
using Geo.Embedded;
using Geo.Storage.Quorum;

namespace Geo.Testing.Tests;

/// <summary>
/// What a simulation would not notice, or notice only as a replay that differs, may not be called in the code that it runs: the process's
/// clocks, its chance, its threads.
/// </summary>
public class BannedCallTests(ITestOutputHelper output)
{
    private const string Tasks = "System.Threading.Tasks.";

    /// <summary>Who may, and why. An entry that is no longer needed fails the test, too.</summary>
    private static readonly Dictionary<string, string> Allowed = new(StringComparer.Ordinal)
    {
        ["SiloSurroundings"] = "is the process, which a simulation replaces",
        ["SiloLinks"] = "is the network side of a silo, which a simulation replaces by its messenger",
        ["GatewayLinks"] = "is the network side of a client, which a simulation replaces by its gateway link",
        ["GeoSilo..ctor"] = "takes the system's clock where the services have none; a simulation's have one",
        ["GeoClient..ctor"] = "takes the system's clock where it is given none",
        ["QuorumConditionalStore..ctor"] = "takes the system's clock and chance where it is given none",
        ["GeoEmbeddedHostingExtensions.UseGeoEmbeddedClient"] = "takes the system's clock where the services have none",
    };

    private static readonly string[] Simulated =
    [
        .. new[] { typeof(ClusterId), typeof(GlobalDirectory), typeof(VersionedViews), typeof(QuorumStoreExtensions), typeof(Grain) }
            .Select(t => t.Assembly.GetName().Name!),
    ];

    public static TheoryData<string> SimulatedAssemblies => [.. Simulated];

    [Theory]
    [MemberData(nameof(SimulatedAssemblies))]
    public void What_is_simulated_calls_neither_clock_nor_chance_nor_threads_of_the_process(string assembly)
    {
        var banned = CallScanner.CallsOf(Assembly.Load(assembly)).Where(c => IsBanned(c) && AllowanceOf(c) is null)
            .Select(c => c.ToString()).Distinct().ToArray();
        Assert.True(banned.Length == 0, string.Join(Environment.NewLine, banned));
    }

    [Fact]
    public void Every_allowance_is_needed()
    {
        var used = Simulated.SelectMany(a => CallScanner.CallsOf(Assembly.Load(a)).Where(IsBanned)).Select(AllowanceOf)
            .OfType<string>().ToHashSet();
        output.WriteLine(string.Join(Environment.NewLine, used.Order().Select(a => $"{a} {Allowed[a]}")));
        Assert.Empty(Allowed.Keys.Except(used));
    }

    [Fact]
    public void The_scanner_sees_what_is_banned_however_it_is_called()
    {
        var here = CallScanner.CallsOf(typeof(Offenders).Assembly)
            .Where(c => c.Caller.StartsWith(nameof(Offenders), StringComparison.Ordinal) && IsBanned(c))
            .Select(c => c.Caller[(nameof(Offenders).Length + 1)..]).Distinct().Order();
        Assert.Equal(
            typeof(Offenders).GetMethods(BindingFlags.Static | BindingFlags.Public | BindingFlags.DeclaredOnly).Select(m => m.Name).Order(),
            here);
    }

    private static string? AllowanceOf(CallScanner.Call call) =>
        Allowed.Keys.FirstOrDefault(a => call.Caller == a || call.Caller.StartsWith($"{a}.", StringComparison.Ordinal));

    private static bool IsBanned(CallScanner.Call call) => (call.Type, call.Member) switch
    {
        ("System.DateTime" or "System.DateTimeOffset", "get_Now" or "get_UtcNow" or "get_Today") => true,
        ("System.Environment", "get_TickCount" or "get_TickCount64") => true,
        ("System.Diagnostics.Stopwatch", _) => true,
        ("System.TimeProvider", "get_System") => true,
        ("System.Guid", "NewGuid" or "CreateVersion7") => true,
        ("System.Random", "get_Shared") => true,
        ("System.Random", ".ctor") => call.Parameters.Count == 0,
        ("System.Security.Cryptography.RandomNumberGenerator", _) => true,
        ("System.Threading.Timer" or "System.Timers.Timer" or "System.Threading.Thread", ".ctor") => true,
        ("System.Threading.ThreadPool" or Tasks + "Parallel", _) => true,
        ("System.Threading.PeriodicTimer", ".ctor") => !HasClock(call),
        ("System.Threading.CancellationTokenSource", ".ctor") => call.Parameters.Count > 0 && !HasClock(call),
        ("System.Threading.CancellationTokenSource", "CancelAsync" or "CancelAfter") => true,
        ("System.Threading.SemaphoreSlim", "WaitAsync") => call.Parameters.Count > 0,
        (Tasks + "Task", "Run") => true,
        (Tasks + "Task", "Delay") => !HasClock(call),
        (Tasks + "TaskScheduler", "get_Default") => true,
        (Tasks + "TaskFactory" or Tasks + "TaskFactory`1", "StartNew") => !call.Parameters.Contains(Tasks + "TaskScheduler"),
        (_, "ContinueWith") => !call.Parameters.Contains(Tasks + "TaskScheduler"),
        (_, "WaitAsync") when call.Type.StartsWith(Tasks, StringComparison.Ordinal) =>
            call.Parameters.Contains("System.TimeSpan") && !HasClock(call),
        (_, "ConfigureAwait") => call.Parameters is ["System.Boolean"] && call.AfterFalse,
        _ => false,
    };

    private static bool HasClock(CallScanner.Call call) => call.Parameters.Contains("System.TimeProvider");
}
