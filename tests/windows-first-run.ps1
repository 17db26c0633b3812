# Runs Spate for the first time on a real Windows and writes one folder with all that it printed.
# Why, for how long, and where to send the folder: docs/support/windows-first-run.md.
# It sends to the loopback interface only, and changes no setting. PowerShell 5.1 or later; no administrator is needed.
param(
    [string] $Output = "spate-windows-$(Get-Date -Format yyyyMMdd-HHmmss)",
    [string] $Tool = '',  # spate.exe or Spate.Cli.exe, if it is published already
    [string] $Tests = '', # Spate.Tests.exe, if it is published already
    [switch] $Quick       # shorter benches; results vary more
)
$ErrorActionPreference = 'Stop'
$top = Split-Path -Parent $PSScriptRoot
New-Item -ItemType Directory -Force -Path $Output | Out-Null
$Output = (Resolve-Path $Output).Path
$summary = Join-Path $Output 'summary.txt'

# Starts a program without waiting. Its output goes to two files of the step's name.
function Start-Program([string] $Name, [string] $Program, [string] $Arguments) {
    $process = Start-Process -FilePath $Program -ArgumentList $Arguments -PassThru -NoNewWindow `
        -WorkingDirectory $Output `
        -RedirectStandardOutput (Join-Path $Output "$Name.txt") `
        -RedirectStandardError (Join-Path $Output "$Name-errors.txt")
    $process.Handle | Out-Null # otherwise PowerShell 5.1 forgets the exit code
    return $process
}

# Waits for a program and writes how it ended. One that does not end by itself is stopped.
function Wait-Program([string] $Name, $Process, [int] $Seconds) {
    $start = Get-Date
    if ($Process.WaitForExit(1000 * $Seconds)) {
        $Process.WaitForExit()
        $ending = "exit code $($Process.ExitCode)"
    } else {
        $Process.Kill()
        $ending = "stopped after $Seconds s"
    }
    $line = '{0,-32} {1,-24} {2,6:0} s' -f $Name, $ending, ((Get-Date) - $start).TotalSeconds
    Add-Content -Path $summary -Value $line
    Write-Host $line
}

function Step([string] $Name, [string] $Program, [string] $Arguments, [int] $Seconds = 600) {
    Wait-Program $Name (Start-Program $Name $Program $Arguments) $Seconds
}

# The same with a backend for everything that names none.
function Step-With([string] $Backend, [string] $Name, [string] $Program, [string] $Arguments, [int] $Seconds = 600) {
    $env:SPATE_BACKEND = $Backend
    try { Step "$Name-$Backend" $Program $Arguments $Seconds } finally { $env:SPATE_BACKEND = '' }
}

# A receiver or server, and a sender; both end by themselves.
function Step-Pair([string] $Name, [string] $Receiver, [string] $Sender) {
    $first = Start-Program "$Name-receiver" $Tool $Receiver
    Start-Sleep -Seconds 3
    Step "$Name-sender" $Tool $Sender 60
    Wait-Program "$Name-receiver" $first 60
}

if (-not $Tool) {
    Step 'build-tool' 'dotnet' "build `"$top/src/Spate.Cli`" -c Release" 1200
    $Tool = "$top/src/Spate.Cli/bin/Release/net10.0/Spate.Cli.exe"
}
if (-not $Tests) {
    Step 'build-tests' 'dotnet' "build `"$top/tests/Spate.Tests`" -c Release" 1200
    $Tests = "$top/tests/Spate.Tests/bin/Release/net10.0/Spate.Tests.exe"
}
foreach ($program in $Tool, $Tests) {
    if (-not (Test-Path $program)) { throw "There is no ${program}: see build-*.txt in $Output" }
}
$Tool = (Resolve-Path $Tool).Path
$Tests = (Resolve-Path $Tests).Path

# The system. 'info' tries every fast path over the loopback: segmented send (USO) and coalesced receive (URO) too.
Step 'info' $Tool 'info'
foreach ($backend in 'portable', 'winsock', 'rio') { Step-With $backend 'info' $Tool 'info --json -' }
if (Get-Command Get-NetAdapter -ErrorAction SilentlyContinue) {
    Get-NetAdapter | Select-Object InterfaceDescription, DriverProvider, DriverVersion, LinkSpeed, Status |
        Format-List | Out-File (Join-Path $Output 'adapters.txt')
}

# The contract that all backends keep, one process for each.
foreach ($backend in 'Portable', 'Winsock', 'Rio') {
    Step "contract-$backend" $Tests "-noColor -noLogo -parallel none -class *.Contracts.$backend*" 1800
}
Step 'servers' $Tests '-noColor -noLogo -parallel none -namespace Spate.Tests.Serving*' 1800

# USO from a socket of Registered I/O: the sender's report says whether GSO messages left, and how many were refused.
foreach ($backend in 'winsock', 'rio') {
    Step-Pair "uso-$backend" `
        'receive 127.0.0.1:47001 --backend portable --seconds 15 --json -' `
        "send 127.0.0.1:47001 --backend $backend --count 100k --rate 50k --size 1000 --json -"
}

# SIO_CPU_AFFINITY: with it the report has a thread for each processor, without it one.
foreach ($backend in 'winsock', 'rio') {
    Step-Pair "shards-$backend" `
        "serve 127.0.0.1:47002 --design sharded --backend $backend --seconds 15 --json -" `
        'send 127.0.0.1:47002 --flows 8 --count 400k --rate 100k --json -'
}

# Each design of a server by name, with its table of threads.
foreach ($design in 'iocp-one', 'iocp-several', 'rio-polled', 'rio-port', 'rio-hybrid', 'rio-reposter') {
    Step-Pair "serve-$design" `
        "serve 127.0.0.1:47003 --design $design --threads 4 --seconds 12" `
        'send 127.0.0.1:47003 --flows 4 --count 400k --rate 100k --json -'
}

# Figures of this machine. Without Registered I/O, SPATE_BACKEND=rio takes Winsock, and would measure it once more.
$speed = if ($Quick) { '--quick' } else { '' }
$backends = @('portable', 'winsock')
try {
    $report = Get-Content (Join-Path $Output 'info-rio.txt') -Raw -Encoding UTF8 | ConvertFrom-Json
    if ($report.capabilities | Where-Object { $_.name -eq 'rio' -and $_.available }) { $backends += 'rio' }
} catch { Write-Host "No report of 'info' can be read, so the benches of Rio are skipped: $_" }
foreach ($backend in $backends) {
    Step-With $backend 'bench' $Tool "bench $speed --json bench-$backend.json"
    Step-With $backend 'bench-drain' $Tool "bench drain $speed --json bench-drain-$backend.json"
}
Step 'bench-designs' $Tool "bench designs $speed --json bench-designs.json" 900
Step-With 'winsock' 'bench-designs-uro' $Tool 'bench designs --quick --rows sharded,sharded-gro --threads 2' 300

Compress-Archive -Path $Output -DestinationPath "$Output.zip" -Force
Write-Host "All of it is in $Output.zip"
