using Geo.Storage.Quorum.Tests;

// The test assembly is also the other processes of the tests that need several.
return args is [KeeperRole.Name]
    ? await KeeperRole.RunAsync()
    : await Xunit.Runner.InProc.SystemConsole.ConsoleRunner.Run(args);
