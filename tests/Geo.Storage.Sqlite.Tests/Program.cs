using Geo.Storage.Sqlite.Tests;

// The test assembly is also the other process of the tests that need several.
return args is [Hammer.Verb, .. var rest]
    ? await Hammer.RunAsync(rest)
    : await Xunit.Runner.InProc.SystemConsole.ConsoleRunner.Run(args);
